export { OutboundClient, type OutboundClientOptions, ownedBy } from './client.ts'
export { connectTcp } from './connect/dial.ts'
export { type EgressRule, parseEgressAllow } from './guard/egress-allow.ts'
export { createGuard, type Guard } from './guard/guard.ts'
export { createRefusalLog } from './guard/refusal-log.ts'
export type { Resolve } from './guard/resolve.ts'
export { OutboundError } from './outbound-error.ts'
export type { RateLimit, RateLimiter } from './rate-limit.ts'
export type {
  OutboundBody,
  OutboundRequest,
  OutboundResponse,
  ResponseHeaders,
} from './request/request.ts'
export { type HopEntry, maskUrl } from './request/request-log.ts'
