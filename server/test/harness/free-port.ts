import { createServer } from 'node:net'

/** A port of loopback that nobody listens on at this moment: for programs that cannot take any free one by themselves. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return port
}
