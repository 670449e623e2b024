// A device on which somebody signed in before carries a cookie that says so. Its attempts count by themselves, so that whoever tries one
// person's passwords from thousands of addresses keeps out other strangers, but not the person. The cookie opens nothing: it
// is worth as many guesses as any one address has.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Exchange } from '../http/index.ts'
import type { KeyRing } from '../secrets/index.ts'

const deviceCookie = 'patchbay_device'
const keptDays = 365
/** Of people who share a device. */
const peopleMax = 5

type DeviceDeps = { keyRing: KeyRing; isSecure: boolean }

/** The device, where this person has signed in on it before. */
export function findDevice({ keyRing }: DeviceDeps, exchange: Exchange, email: string): string | undefined {
  return marksOf(exchange).find((mark) => {
    const [device = '', given = ''] = mark.split('.')
    const [wanted, actual] = [Buffer.from(sealOf(keyRing, device, email)), Buffer.from(given)]
    return wanted.length === actual.length && timingSafeEqual(wanted, actual)
  })
}

export function rememberDevice(deps: DeviceDeps, exchange: Exchange, email: string): void {
  const known = findDevice(deps, exchange, email)
  const device = randomBytes(16).toString('base64url')
  const mark = known ?? `${device}.${sealOf(deps.keyRing, device, email)}`
  const marks = [mark, ...marksOf(exchange).filter((other) => other !== mark)].slice(0, peopleMax)
  exchange.setHeader(
    'Set-Cookie',
    `${deviceCookie}=${marks.join('~')}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${keptDays * 86_400}${deps.isSecure ? '; Secure' : ''}`,
  )
}

function marksOf(exchange: Exchange): string[] {
  const marks = exchange.cookie(deviceCookie)?.split('~') ?? []
  return marks.filter((mark) => /^[\w-]{22}\.[\w-]{43}$/.test(mark)).slice(0, peopleMax)
}

function sealOf(keyRing: KeyRing, device: string, email: string): string {
  const text = `device ${device} ${email.toLowerCase()}`
  return createHmac('sha256', keyRing.systemKey('session')).update(text).digest('base64url')
}
