import { Type } from 'typebox'
import { Limit } from '../inputs.ts'
import { tool } from '../tool.ts'

const kinds = ['application', 'workflowTemplate', 'blockTemplate', 'function'] as const

export const searchCatalog = tool({
  name: 'search_catalog',
  title: 'Search the catalogue',
  description:
    'Find applications to connect, workflow templates, block templates and library functions (fx) by name and description.',
  input: Type.Object(
    {
      searchTerm: Type.Optional(Type.String({ description: 'Everything when absent.' })),
      kind: Type.Optional(Type.Enum([...kinds])),
      limit: Limit,
    },
    { additionalProperties: false },
  ),
  async run(client, { searchTerm, kind, limit = 20 }, signal) {
    const body = { page: 0, size: limit, ...(searchTerm ? { searchTerm } : {}) }
    const wants = (one: (typeof kinds)[number]) => kind === undefined || kind === one
    const [applications, workflowTemplates, blockTemplates, functions] = await Promise.all([
      wants('application') ? client.applicationsSearch({ body, signal }).then((found) => found.applications) : [],
      wants('workflowTemplate') ? client.workflowTemplatesSearch({ body, signal }).then(({ items }) => items) : [],
      wants('blockTemplate') ? client.blockTemplatesSearch({ body, signal }).then(({ items }) => items) : [],
      wants('function') ? client.getFunctions({ signal }) : [],
    ])
    const term = searchTerm?.toLowerCase() ?? ''
    const found = functions
      .filter((one) => `${one.name} ${one.description}`.toLowerCase().includes(term))
      .slice(0, limit)
    const total = applications.length + workflowTemplates.length + blockTemplates.length + found.length
    return {
      summary: `${total} entries of the catalogue.`,
      // Logos are pictures in text, of no use to a reader of text.
      applications: applications.map((application) => ({ ...application, logo: undefined })),
      workflowTemplates,
      blockTemplates,
      functions: found,
    }
  },
})
