import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { type Response, type Router } from 'express';
import { methodNotAllowed } from '../http/problem.js';

const require = createRequire(import.meta.url);
const SWAGGER_UI = dirname(require.resolve('swagger-ui-dist/package.json'));
const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** Nothing from other origins and nothing inline; images in the style sheet are data. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  // A new release has a new document.
  'Cache-Control': 'no-cache',
};

/** @param folder where the page finds its files, as a relative reference */
const page = (folder: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Custom data upload</title>
    <link rel="icon" href="${folder}favicon-32x32.png" />
    <link rel="stylesheet" href="${folder}swagger-ui.css" />
  </head>
  <body>
    <noscript>This page needs JavaScript; <a href="${folder}openapi.json">openapi.json</a> does not.</noscript>
    <div id="swagger-ui"></div>
    <script src="${folder}swagger-ui-bundle.js"></script>
    <script src="${folder}initialize.js"></script>
  </body>
</html>
`;

/** The page forgets a typed token when it closes, and contacts no validator. */
const INITIALIZE = `SwaggerUIBundle({
  url: new URL('openapi.json', document.currentScript.src).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/** Serves the document and a page that shows it, from this server alone, without a token. */
export function docsRouter(document: object): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/', ({ originalUrl }, response) => {
    const isFolder = originalUrl.split('?', 1)[0]!.endsWith('/');
    send(response, 'html', page(isFolder ? './' : './docs/'));
  });
  router.get('/openapi.json', (_request, response) => {
    send(response, 'json', JSON.stringify(document));
  });
  router.get('/initialize.js', (_request, response) => {
    send(response, 'js', INITIALIZE);
  });
  for (const asset of ASSETS) {
    router.get(`/${asset}`, (request, response) => {
      // Without an ETag each of these would be refused.
      delete request.headers['if-match'];
      delete request.headers['if-unmodified-since'];
      response.set(HEADERS).sendFile(asset, {
        root: SWAGGER_UI,
        cacheControl: false,
        acceptRanges: false,
      });
    });
  }
  const paths = ['openapi.json', 'initialize.js', ...ASSETS].map((name) => `/${name}`);
  router.all(['/', ...paths], () => {
    throw methodNotAllowed('GET, HEAD');
  });
  return router;
}

function send(response: Response, type: string, content: string): void {
  response.set(HEADERS).type(type).send(content);
}
