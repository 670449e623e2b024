import { isIP } from 'node:net'
import { AppError } from '../../lib/app-error.ts'
import type { Exchange } from '../handler.ts'

/** Another site must not act through the browser of a visitor. Programs that are no browsers send neither header. */
export function refuseForeignOrigin(exchange: Exchange): void {
  const site = exchange.header('sec-fetch-site')
  const origin = exchange.header('origin')
  const isForeign =
    site === undefined
      ? origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== exchange.header('host'))
      : site !== 'same-origin' && site !== 'none'
  if (isForeign)
    throw new AppError(
      'foreign_origin',
      'This request came from a page of another site. Open the page here and try again.',
    )
}

/**
 * A page of another site can have its own name resolve to this service (DNS rebinding), so that the browser takes both for one site. The name
 * by which it asks gives it away. An address, `localhost` and a name without a dot are nobody else's to resolve.
 */
export function refuseForeignHost(exchange: Exchange, baseUrl: string): void {
  const host = exchange.header('host') ?? ''
  const name = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : ''
  const base = new URL(baseUrl)
  const isOwn = name === base.hostname || isIP(name.replace(/^\[|\]$/g, '')) > 0 || /^[^.]+$/.test(name)
  if (!isOwn)
    throw new AppError(
      'foreign_origin',
      'The header Host does not name this service. Call it by the address in PATCHBAY_BASE_URL.',
    )
  const origin = exchange.header('origin')
  if (origin === undefined) return
  const from = URL.canParse(origin) ? new URL(origin).host : undefined
  if (from === undefined || (from !== host && from !== base.host))
    throw new AppError('foreign_origin', 'Requests from pages of other sites are not accepted here.')
}
