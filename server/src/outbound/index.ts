export { OutboundClient, type OutboundClientOptions } from './client.ts'
export { connectTcp } from './dial.ts'
export { type EgressRule, parseEgressAllow } from './egress-allow.ts'
export { createGuard, type Guard } from './guard.ts'
export { OutboundError, type OutboundErrorKind } from './outbound-error.ts'
export { createMemoryRateLimiter, type RateLimit, type RateLimiter } from './rate-limit.ts'
export type {
  Credentials,
  OutboundBody,
  OutboundRequest,
  OutboundResponse,
  OutboundStream,
  ResponseHeaders,
} from './request.ts'
export type { HopEntry } from './request-log.ts'
export type { Resolve } from './resolve.ts'
