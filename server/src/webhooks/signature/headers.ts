export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * A header by its lower-case name, as Node gives it. A header that came more than once has no single value and counts
 * as empty: choosing one of them would let a sender show us another than it shows the next reader.
 */
export function readHeader(headers: HeaderValues, name: string): string | undefined {
  const value = headers[name]
  if (value === undefined || typeof value === 'string') return value
  return value.length === 1 ? value[0] : ''
}

const deliveryIdHeaders = [
  'webhook-id',
  'svix-id',
  'x-github-delivery',
  'x-shopify-webhook-id',
  'idempotency-key',
] as const
const deliveryIdCharactersMax = 255

/**
 * The id by which a sender marks repeated deliveries of one event. Undefined when it gave none, or one that no real
 * sender would give: such a request counts as new. `first` is looked at before the others.
 */
export function readDeliveryId(headers: HeaderValues, first?: string): string | undefined {
  return [...(first === undefined ? [] : [first]), ...deliveryIdHeaders]
    .map((name) => readHeader(headers, name)?.trim())
    .find((id) => id !== undefined && id !== '' && id.length <= deliveryIdCharactersMax)
}
