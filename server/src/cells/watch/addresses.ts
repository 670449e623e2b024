// Whatever in a request says whom it is for, in the form in which the table of moved addresses has it.
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { sessionCookie } from '../../http/index.ts'
import { withoutCell } from '../../lib/cell.ts'

const longestRead = 500

export function addressesOf({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string[] {
  const { pathname, searchParams } = new URL(url, 'http://cell')
  const found: string[] = []
  const add = (kind: string, value: string | null | undefined) => {
    if (value && value.length <= longestRead) found.push(`${kind}:${value}`)
  }
  const addToken = (token: string | null | undefined) => {
    if (token && token.length <= longestRead) found.push(`token:${hash('sha256', token, 'hex')}`)
  }
  const consumer = headers['consumer']
  add('key', typeof consumer === 'string' ? consumer : undefined)
  if (pathname.startsWith('/webhook/')) add('webhook', withoutCell(pathname.slice('/webhook/'.length)).toLowerCase())
  if (pathname.startsWith('/resume/')) addToken(pathname.slice('/resume/'.length))
  add('share', searchParams.get('shareid')?.toLowerCase())
  addToken(searchParams.get('token'))
  addToken(searchParams.get('state'))
  // Whoever has keys means their account, and whoever signs in anew any.
  if (consumer !== undefined || pathname === '/signin') return found
  const cookie = headers.cookie?.split(';').find((pair) => pair.trimStart().startsWith(`${sessionCookie}=`))
  addToken(cookie?.slice(cookie.indexOf('=') + 1).trim())
  return found
}
