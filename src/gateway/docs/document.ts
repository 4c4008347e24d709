import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { SCHEME } from '../http/call.js';
import { TAG } from './operation.js';
import { PreviewAnswer } from './preview-answer.js';
import { ProblemDetails } from './problem-details.js';
import { UploadRequest } from './upload-request.js';

const DESCRIPTION = `Takes CSV files of cost data and of custom metrics, and tells what became of them.

Paths work with and without the slash at the end. Any answer but 200 and 201 is a problem (RFC 9457), and
nothing was stored then, except perhaps after a 503. The checks come in this order: path and method, token
(401), role (403), rate limit (429), media type (415), declared size (413), the rest.`;

const TOKEN = `\`${SCHEME} <API_TOKEN>\`: the scheme word, which may have any case, one space, and the API
token. The word is part of the value to send, because OpenAPI can name registered schemes only. Tokens come
from the operators of the service; those of the roles owner and in-house marketer may upload and read.`;

/** The OpenAPI document of an application that holds the gateway, made from its controllers. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Custom data upload')
    .setDescription(DESCRIPTION)
    .setVersion('1.0')
    .addServer('/')
    .addTag(TAG, 'Each follows one file until its rows are in reports, or until it is refused.')
    .addSecurity(SCHEME, {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: TOKEN,
    })
    .addSecurityRequirements(SCHEME)
    .build();
  // The builder has begun one, which is empty.
  delete base.info.contact;
  const document = SwaggerModule.createDocument(app, base, {
    onlyIncludeDecoratedEndpoints: true,
    autoTagControllers: false,
    extraModels: [UploadRequest, ProblemDetails, PreviewAnswer],
  });
  // Nest removes the final slash, with which the specification writes the create operation.
  const paths = Object.entries(document.paths).map(([path, item]) => {
    return [path.endsWith('/requests') ? `${path}/` : path, item] as const;
  });
  return { ...document, paths: Object.fromEntries(paths) };
}
