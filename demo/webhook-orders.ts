import { createHmac } from 'node:crypto'

export type Webhook = { url: string; secret: string }

/** Numbers that stand for no real order, so that the past can be made from their runs. */
export const modelNumbers = { taken: 90_001, refused: 90_002 }

/** A negative amount is what the accounting of the demo refuses. */
export function orderOf(number: number, shop: string, isRefused: boolean) {
  const sign = isRefused ? -1 : 1
  return {
    number,
    shop,
    customer: `buyer${number % 97}@example.com`,
    lines: [
      { sku: `A-${100 + (number % 23)}`, quantity: 1 + (number % 4), price: sign * (49 + (number % 300)) },
      { sku: `B-${200 + (number % 11)}`, quantity: 1, price: sign * 19 },
    ],
  }
}

export async function send({ url, secret }: Webhook, payload: unknown): Promise<void> {
  const body = JSON.stringify(payload)
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const headers = { 'Content-Type': 'application/json', 'X-Patchbay-Signature': signature }
  const response = await fetch(url, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`A webhook was answered ${response.status}: ${await response.text()}`)
}
