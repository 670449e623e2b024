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
