import { Reflector } from '@nestjs/core';
import type { Request } from 'express';

import type { TokenHolder } from '../../accounts/account.js';
import type { FamilyName } from '../../domain/families/index.js';

export type Operation = 'create' | 'read' | 'preview';

/** Names the operation of a handler, for the token guard. */
export const OperationIs = Reflector.createDecorator<Operation>();

/** An API call whose path is known; its token may still be refused. */
export interface Call {
  readonly operation: Operation;
  readonly family: FamilyName;
  /** By `performance.now()`. */
  readonly startedAt: number;
}

export interface ApiRequest extends Request {
  /** Set once the path is known to be an operation's. */
  call?: Call;
  /** Set once the token has been accepted. */
  holder?: TokenHolder;
  /**
   * The client sends its body only after an interim `100 Continue`, which has not been sent yet.
   */
  awaitsContinue?: boolean;
}

/** Leaves time that the client asked to wait out of the call's duration. */
export function leaveOut(request: ApiRequest, milliseconds: number): void {
  const { call } = request;
  if (call !== undefined) request.call = { ...call, startedAt: call.startedAt + milliseconds };
}

/** The call and the token's holder, of a request that has passed the token guard. */
export function acceptedCall(request: ApiRequest): Call & { readonly holder: TokenHolder } {
  const { call, holder } = request;
  if (call === undefined || holder === undefined) throw new Error('no token guard on this route');
  return { holder, ...call };
}

/** The scheme of the header `Authorization`, as `WWW-Authenticate` names it. */
export const SCHEME = 'SERVICE-API-KEY';
