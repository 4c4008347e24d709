import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { acceptedCall, type ApiRequest, type Operation } from './call.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../dependencies.js';
import { tooManyRequests } from './problem.js';
import { TokenBuckets } from './token-bucket.js';

interface Limit {
  readonly name: string;
  readonly perMinute: number;
  readonly buckets: TokenBuckets;
}

/**
 * Refuses the calls of an account above its rate, if the configuration sets one. Runs after the
 * token guard, before a byte of the body is read.
 *
 * The fields of draft-ietf-httpapi-ratelimit-headers tell what is left.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly limits: Readonly<Record<Operation, Limit | undefined>>;

  constructor(@Inject(GATEWAY_CONFIG) { limits }: GatewayConfig) {
    this.limits = {
      create: limitOf('uploads', limits.uploadsPerMinute),
      preview: limitOf('previews', limits.uploadsPerMinute),
      read: limitOf('reads', limits.readsPerMinute),
    };
  }

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const { operation, holder } = acceptedCall(http.getRequest<ApiRequest>());
    const limit = this.limits[operation];
    if (limit === undefined) return true;

    const { name, perMinute, buckets } = limit;
    const { isAllowed, remaining, nextMs } = buckets.take(holder.account, performance.now());
    const seconds = Math.max(1, Math.ceil(nextMs / 1_000));
    http
      .getResponse<Response>()
      .setHeader('RateLimit-Policy', `"${name}";q=${perMinute};w=60`)
      .setHeader('RateLimit', `"${name}";r=${remaining};t=${seconds}`);
    if (!isAllowed) throw tooManyRequests(name, seconds);
    return true;
  }
}

function limitOf(name: string, perMinute: number | undefined): Limit | undefined {
  if (perMinute === undefined) return undefined;
  return { name, perMinute, buckets: new TokenBuckets(perMinute) };
}
