// Uploads and downloads as people's programs and browsers make them.
import { expect } from 'vitest'
import type { Answer, Client } from './client.ts'
import type { TestService } from './service.ts'

export type NamedFile = { name: string; content: string | Uint8Array; type?: string }

export function uploadForm(files: NamedFile[], fields: Record<string, string> = {}): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries({ notificationEmail: 'anna@example.com', ...fields }))
    form.append(name, value)
  for (const { name, content, type } of files)
    form.append('files', new File([content as string], name, type === undefined ? {} : { type }))
  return form
}

/** Sends any body to the upload operation. */
export async function sendUpload(
  client: Client,
  body: NonNullable<RequestInit['body']>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${client.baseUrl}/api/ProxySecureUpload`, {
    method: 'POST',
    headers: { Consumer: client.keys?.consumer ?? '', SecretKey: client.keys?.secretKey ?? '', ...headers },
    body,
    duplex: 'half',
  } as RequestInit)
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text), headers: response.headers }
}

export const sharePath = '/secure-share/secure-download'

/** Sends the form of the share page. */
export async function postShare(baseUrl: string, shareId: string, form: Record<string, string>) {
  const response = await fetch(`${baseUrl}${sharePath}?shareid=${shareId}`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

/** The ids of the files on a list page, in their order. */
export function fileIds(page: string): string[] {
  return [...page.matchAll(/name="file" value="([^"]+)"/g)].map((found) => found[1] as string)
}

/** Opens a share and gets its only file. */
export async function download(service: Pick<TestService, 'baseUrl'>, shareId: string, code: string, index = 0) {
  const list = await postShare(service.baseUrl, shareId, { code })
  const file = fileIds(list.bytes.toString())[index] ?? ''
  return postShare(service.baseUrl, shareId, { code, file })
}

export const hello = { name: 'hello.txt', content: 'Hello, Anna', type: 'text/plain' }

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Shares files and returns the id of the share. */
export async function shareFiles(
  client: Client,
  fields: Record<string, string> = {},
  files = [hello],
): Promise<string> {
  const answer = await sendUpload(client, uploadForm(files, fields))
  expect([answer.status, typeof answer.body], answer.text).toEqual([200, 'string'])
  expect(answer.body).toMatch(guid)
  return answer.body
}
