// What a tool is: its schema, what it says of itself, and what it does with the client of whoever calls.
import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server'
import { type Client, ConnectionError, PatchbayError } from '@patchbay/sdk'
import type { Static, TObject } from 'typebox'

/** What a tool found or did: one sentence, then the details. */
export type Found = { summary: string } & Record<string, unknown>

export type Tool<Input extends TObject = TObject> = {
  name: string
  title: string
  description: string
  input: Input
  /** True for a tool that changes something; it does nothing unless it is called with `confirm: true`. */
  changes?: true
  /** True for a tool whose change makes runs call real applications, which cannot be taken back. */
  callsApplications?: boolean
  run(client: Client, input: Static<Input>, signal: AbortSignal): Promise<Found>
}

type Schema = ReturnType<typeof fromJsonSchema<Record<string, unknown>>>
/** With its schema compiled: over HTTP every request has a server of its own, and compiling takes longer than most requests. */
export type ReadyTool = Tool & { schema: Schema }

/** Keeps the type of the input between the schema and the function. */
export function tool<Input extends TObject>(definition: Tool<Input>): ReadyTool {
  return { ...(definition as unknown as Tool), schema: fromJsonSchema(definition.input as never) }
}

/** Takes faults of ours, whose words are nobody else's business. */
export type OnFault = (error: unknown) => void

export function registerTool(
  server: McpServer,
  { client, onFault }: { client: Client; onFault: OnFault },
  { name, title, description, schema, changes, callsApplications = false, run }: ReadyTool,
): void {
  server.registerTool(
    name,
    {
      title,
      description,
      inputSchema: schema,
      annotations: {
        title,
        readOnlyHint: !changes,
        ...(changes ? { destructiveHint: callsApplications, idempotentHint: false } : {}),
        openWorldHint: callsApplications,
      },
    },
    async (given, context) => {
      try {
        const found = await run(client, given, context.mcpReq.signal)
        const { summary, ...details } = found
        const text = Object.keys(details).length === 0 ? summary : `${summary}\n\n${JSON.stringify(details, null, 2)}`
        return { content: [{ type: 'text' as const, text }], structuredContent: found }
      } catch (error) {
        return { content: [{ type: 'text' as const, text: sentenceOf(error, onFault) }], isError: true }
      }
    },
  )
}

/** A mistake of the caller, in words that help to mend it. */
export class ToolRefusal extends Error {
  override name = 'ToolRefusal'
}

function sentenceOf(error: unknown, onFault: OnFault): string {
  if (error instanceof PatchbayError && error.status === 404) {
    return `${error.message} Check the id; list_workflows shows the workflows of this account.`
  }
  if (error instanceof PatchbayError || error instanceof ConnectionError || error instanceof ToolRefusal) {
    return error.message
  }
  onFault(error)
  return 'The tool failed. The log of the process that runs it says why.'
}
