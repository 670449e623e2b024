// How the console is served. What it does is looked at in e2e/, in a browser.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from './harness/service.ts'

let service: TestService
beforeAll(async () => {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../console/build.ts', import.meta.url))])
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

const look = (path: string, headers: Record<string, string> = { Accept: 'text/html' }) =>
  fetch(service.baseUrl + path, { headers, redirect: 'manual' })

describe('the console', () => {
  it.each(['/', '/workflows', '/workflows/x/runs/3', '/connections'])('is at %s without keys', async (path) => {
    const answer = await look(path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await answer.text()).toContain('<div id="root">')
  })

  it('allows nothing inline and nothing from elsewhere, and its nonce is new each time', async () => {
    const policies = await Promise.all([look('/'), look('/')]).then((answers) =>
      answers.map((answer) => answer.headers.get('content-security-policy') ?? ''),
    )
    expect(policies[0]).not.toBe(policies[1])
    expect(policies[0]).toContain("default-src 'none'")
    expect(policies[0]).not.toMatch(/unsafe|https?:|\*/)
  })

  it('keeps its nonce in the page that the policy came with', async () => {
    const answer = await look('/')
    const nonce = /'nonce-([^']+)'/.exec(answer.headers.get('content-security-policy') ?? '')?.[1] as string
    const text = await answer.text()
    expect(text.includes(`nonce="${nonce}"`) && !text.includes('PATCHBAY_NONCE')).toBe(true)
  })

  it('sends its files compressed, for good, and not again to who has them', async () => {
    const page = await look('/').then((answer) => answer.text())
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] as string
    const first = await look(script, { 'Accept-Encoding': 'br' })
    expect([first.status, first.headers.get('content-encoding')]).toEqual([200, 'br'])
    expect(first.headers.get('cache-control')).toContain('immutable')
    const again = await look(script, { 'If-None-Match': first.headers.get('etag') as string })
    expect(again.status).toBe(304)
  })

  it('loads at most 200 KB of compressed script before the first page shows', async () => {
    const page = await look('/').then((answer) => answer.text())
    const scripts = [...page.matchAll(/(?:src|href)="(\/[^"]+\.js)"/g)].map((match) => match[1] as string)
    const sizes = await Promise.all(
      scripts.map((path) =>
        look(path, { 'Accept-Encoding': 'gzip' }).then((answer) => Number(answer.headers.get('content-length'))),
      ),
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200 * 1024)
  })

  it('is a 404 for people at an address that it does not know, and for programs a refusal as usual', async () => {
    const forPeople = await look('/nothing-here')
    expect([forPeople.status, forPeople.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    for (const [path, accept] of [
      ['/nothing-here', 'application/json'],
      ['/api/Nothing', 'text/html'],
      ['/assets/none.js', '*/*'],
      ['/assets/../../package.json', '*/*'],
    ] as const) {
      const answer = await look(path, { Accept: accept })
      expect([answer.status, ((await answer.json()) as { code: number }).code]).toEqual([404, 404])
    }
  })
})
