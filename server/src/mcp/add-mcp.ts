// `/mcp`: the tools for assistants over streamable HTTP. Every request stands for itself, so any API process can answer any of them.
import { createClient } from '@patchbay/sdk'
import type { FastifyInstance } from 'fastify'
import { addFetchRoute } from '../http/index.ts'

export async function addMcp(http: FastifyInstance, onFault: (error: unknown) => void): Promise<void> {
  await addFetchRoute(http, {
    path: '/mcp',
    methods: ['GET', 'POST', 'DELETE'],
    answer: async (request, parsedBody, ownFetch) => {
      // Over a hundred modules, which most services never need.
      const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
        import('@modelcontextprotocol/server'),
        import('@patchbay/mcp'),
      ])
      const client = createClient({ baseUrl: 'http://localhost', fetch: ownFetch, retries: 0 })
      const handler = createMcpHandler(() => createMcpServer({ client, onFault }))
      return handler.fetch(request, { parsedBody })
    },
  })
}
