import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { UPLOADING_ROLES } from '../../accounts/account.js';
import { isFamilyName } from '../../domain/families/index.js';
import { type ApiRequest, OperationIs, SCHEME } from '../http/call.js';
import { type GatewayDependencies, TOKENS } from '../dependencies.js';
import { forbidden, noToken, nothingHere, unknownToken } from '../http/problem.js';

// Scheme words are case-insensitive (RFC 9110, 11.1); the one space is this API's own rule.
const CREDENTIALS = new RegExp(`^${SCHEME} ([^\\s]+)$`, 'i');

/**
 * Lets a call run only with a token whose role may upload. Runs before a byte of the body is read.
 * The token is looked up on every call.
 */
@Injectable()
export class TokenGuard implements CanActivate {
  constructor(
    @Inject(TOKENS) private readonly tokens: GatewayDependencies['tokens'],
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    const family = request.params['family'];
    // An unknown family is an unknown path: 404, with or without a token.
    if (!isFamilyName(family)) throw nothingHere();
    const operation = this.reflector.get(OperationIs, context.getHandler());
    request.call = { operation, family, startedAt: performance.now() };

    const token = CREDENTIALS.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) throw noToken();
    const holder = this.tokens.holderOf(token);
    if (holder === undefined) throw unknownToken();
    if (!UPLOADING_ROLES.has(holder.role)) throw forbidden();
    request.holder = holder;
    return true;
  }
}
