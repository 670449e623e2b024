export { OutboundClient, type OutboundClientOptions, ownedBy } from './client.ts'
export { connectTcp } from './dial.ts'
export { type EgressRule, parseEgressAllow } from './egress-allow.ts'
export { createGuard, type Guard } from './guard.ts'
export { OutboundError } from './outbound-error.ts'
export type { RateLimit, RateLimiter } from './rate-limit.ts'
export { createRefusalLog } from './refusal-log.ts'
export type {
  OutboundBody,
  OutboundRequest,
  OutboundResponse,
  ResponseHeaders,
} from './request.ts'
export { type HopEntry, maskUrl } from './request-log.ts'
export type { Resolve } from './resolve.ts'
