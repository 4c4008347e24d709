import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { UPLOADING_ROLES, type TokenDirectory } from '../../accounts/account.js';
import { isFamilyName } from '../../domain/families/index.js';
import type { ApiRequest } from '../call.js';
import { TOKEN_DIRECTORY } from '../dependencies.js';
import { forbidden, nothingHere, unauthorized } from '../problems/problem.js';
import { tokenIn } from './authorization.js';

/**
 * Lets an operation run only for a token whose role may upload. Runs before a byte of the body is
 * read; the token is looked up on every call.
 */
@Injectable()
export class TokenGuard implements CanActivate {
  constructor(@Inject(TOKEN_DIRECTORY) private readonly tokens: TokenDirectory) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    const family = request.params['family'];
    // An unknown family is an unknown path, which is told without a token.
    if (typeof family !== 'string' || !isFamilyName(family)) throw nothingHere();
    request.call = { operation: request.method === 'POST' ? 'create' : 'read', family };

    const token = tokenIn(request.headers.authorization);
    if (token === undefined) throw unauthorized('The call carries no API token of the right form.');
    const holder = this.tokens.holderOf(token);
    if (holder === undefined) throw unauthorized('The API token is unknown or has been revoked.');
    if (!UPLOADING_ROLES.has(holder.role)) throw forbidden();
    request.holder = holder;
    return true;
  }
}
