// `/mcp`: the tools for assistants over streamable HTTP. Every request stands for itself, so any API process can answer any of them.
import { createClient } from '@patchbay/sdk'
import type { FastifyInstance } from 'fastify'
import { type Authenticators, addFetchRoute } from '../http/index.ts'

export type McpDeps = {
  authenticators: Authenticators
  baseUrl(): string
  onFault(error: unknown): void
}

export async function addMcp(http: FastifyInstance, { authenticators, baseUrl, onFault }: McpDeps): Promise<void> {
  await addFetchRoute(http, {
    path: '/mcp',
    methods: ['GET', 'POST', 'DELETE'],
    authenticators,
    baseUrl,
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
