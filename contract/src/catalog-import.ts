// An organization's own catalogue: bring files, try drafts, publish versions, take files away.
import { Type } from 'typebox'
import { Guid } from './ids.ts'
import { operation } from './operation.ts'

export const CatalogFile = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'Such as blocks/greet.yaml or functions/greet.js.',
    }),
    content: Type.String({ description: 'The text of the file; base64 for a PNG logo.' }),
    encoding: Type.Optional(Type.Enum(['utf8', 'base64'])),
  },
  { additionalProperties: false },
)

const OpenApiSource = Type.Object(
  {
    document: Type.Optional(Type.Unknown({ description: 'The document as an object, or as JSON or YAML text.' })),
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'Where the document is.' })),
    shortName: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$', title: 'name of letters, digits, _ and -' }),
    ),
    trustedHosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
        maxItems: 20,
        description:
          'With url: hosts of the token and authorization addresses that you have checked. The client secret goes there. Addresses at other hosts are entered by whoever registers the application.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const importCatalog = operation({
  name: 'CatalogImport',
  feature: 'Catalogue',
  method: 'POST',
  path: '/api/CatalogImport',
  description:
    "Add to the organization's own catalogue, from files or from an OpenAPI (3.0 to 3.2) or Swagger 2.0 document. If a file has a problem, nothing is imported unless partial is true.",
  changesState: true,
  audit: 'catalog.imported',
  lowestRole: 'DevPartner',
  query: Type.Object({
    dryRun: Type.Optional(
      Type.Boolean({ default: false, description: 'True: change nothing, and return what the import would do.' }),
    ),
    partial: Type.Optional(
      Type.Boolean({ default: false, description: 'True: leave out what has a problem and store the rest.' }),
    ),
  }),
  body: Type.Object(
    {
      files: Type.Optional(Type.Array(CatalogFile, { minItems: 1, maxItems: 5000 })),
      openApi: Type.Optional(OpenApiSource),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Object({
      imported: Type.Array(
        Type.Object({
          entityType: Type.String({ description: 'application, blockTemplate, workflowTemplate or function.' }),
          id: Guid,
          name: Type.String(),
          version: Type.Union([Type.String(), Type.Null()]),
          state: Type.String({ description: 'Published or Draft.' }),
          change: Type.String({ description: 'created, changed or unchanged.' }),
        }),
      ),
      problems: Type.Array(
        Type.Object({
          file: Type.String(),
          line: Type.Integer(),
          column: Type.Optional(Type.Integer()),
          message: Type.String(),
        }),
      ),
      warnings: Type.Array(Type.String()),
    }),
  },
  refuses: ['role_too_low', 'catalog_invalid', 'storage_full'],
  example: {
    body: { files: [{ path: 'functions/greet.js', content: '/*---\nid: …\n---*/\nreturn fx.titleCase(name)' }] },
  },
})

export const exportCatalog = operation({
  name: 'CatalogExport',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/CatalogExport',
  description: "The organization's own catalogue as files that CatalogImport takes.",
  lowestRole: 'DevPartner',
  query: Type.Object({
    isDraft: Type.Optional(
      Type.Boolean({
        description:
          'True: export drafts of templates, and the published blocks they use, instead of the newest versions.',
        default: false,
      }),
    ),
  }),
  answers: { 200: Type.Object({ files: Type.Array(CatalogFile) }) },
  refuses: ['role_too_low'],
})

const Id = Type.Object({ id: Guid })
const NewVersion = Type.Object({
  version: Type.Optional(
    Type.String({ minLength: 1, maxLength: 40, description: 'Name of the version. Default: one more than the last.' }),
  ),
})

export const publishWorkflowTemplate = operation({
  name: 'PublishWorkflowTemplate',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/PublishWorkflowTemplate/:id',
  description: 'Publish the draft as the next version. Returns that version.',
  changesState: true,
  audit: 'workflowTemplate.published',
  lowestRole: 'DevPartner',
  params: Id,
  query: NewVersion,
  answers: { 200: Type.String() },
  refuses: ['not_found', 'role_too_low', 'not_the_creator', 'draft_not_publishable'],
  example: { answer: '3' },
})

export const publishBlockTemplate = operation({
  name: 'PublishBlockTemplate',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/PublishBlockTemplate/:id',
  description: 'Publish the draft as the next version. Returns that version.',
  changesState: true,
  audit: 'blockTemplate.published',
  lowestRole: 'DevPartner',
  params: Id,
  query: NewVersion,
  answers: { 200: Type.String() },
  refuses: ['not_found', 'role_too_low', 'not_the_creator', 'draft_not_publishable'],
  example: { answer: '3' },
})

export const deleteWorkflowTemplateDraft = operation({
  name: 'DeleteWorkflowTemplateDraft',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/DeleteWorkflowTemplateDraft/:id',
  description: 'Discard the draft. Published versions stay.',
  changesState: true,
  audit: 'workflowTemplate.draftDeleted',
  lowestRole: 'DevPartner',
  params: Id,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found', 'role_too_low', 'not_the_creator'],
})

export const deleteBlockTemplateDraft = operation({
  name: 'DeleteBlockTemplateDraft',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/DeleteBlockTemplateDraft/:id',
  description: 'Discard the draft. Published versions stay.',
  changesState: true,
  audit: 'blockTemplate.draftDeleted',
  lowestRole: 'DevPartner',
  params: Id,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found', 'role_too_low', 'not_the_creator'],
})
