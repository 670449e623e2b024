import { Type } from 'typebox'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { Page, SearchTerm, Size, Tags } from './paging.ts'
import {
  BlockTemplateApiDto,
  BlockTemplateListApiDto,
  WorkflowTemplateListApiDto,
  WorkflowTemplateWithDetailsApiDto,
} from './templates.ts'

const LogoImage = Type.Union([Type.String(), Type.Null()], {
  description: 'The logo, an SVG or PNG image in base64; null when there is none.',
})

export const CredentialField = Type.Object({
  ShortName: Type.String(),
  DisplayName: Type.String(),
  Type: Type.String({ description: 'text, password, select, url, number or boolean.' }),
  Required: Type.Boolean(),
  Options: Type.Optional(Type.Array(Type.String())),
  Description: Type.Optional(Type.String()),
  Default: Type.Optional(Type.Unknown()),
  OnlyFor: Type.Optional(
    Type.Object(
      { Field: Type.String(), Values: Type.Array(Type.String()) },
      { description: 'Used only when that other field has one of these values.' },
    ),
  ),
})

const applicationFields = {
  id: { ...Guid, description: 'Id of the application.' },
  shortName: Type.String({ description: 'Name in proxy paths and in the applications of a workflow.' }),
  name: Type.String({ description: 'Name for people.' }),
  tag: Type.String({ description: 'Category.' }),
  description: Type.String({ description: 'What the application is for.' }),
  tags: Tags,
}

export const ApplicationListApiDto = Type.Object(
  {
    ...applicationFields,
    logoImage: LogoImage,
    credentialFields: Type.Array(CredentialField, { description: 'What to enter when registering the application.' }),
    credentialsJson: Type.Record(Type.String(), Type.Null(), {
      description: 'Credential names mapped to null, as a form to fill in.',
    }),
  },
  { description: 'An application that can be registered.' },
)

export const listApplications = operation({
  name: 'Applications',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/Applications',
  description:
    'The applications that can be registered, with logo and credential fields; at most 1,000. Search for more.',
  answers: { 200: Type.Array(ApplicationListApiDto) },
})

export const searchApplications = operation({
  name: 'ApplicationsSearch',
  feature: 'Catalogue',
  method: 'POST',
  path: '/api/Applications',
  description: 'Search the applications by name and description.',
  body: Type.Object(
    {
      page: Type.Optional(Page),
      size: Type.Optional(Size),
      searchTerm: Type.Optional(SearchTerm),
      includeLogo: Type.Optional(Type.Boolean({ default: false })),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Object({
      applications: Type.Array(Type.Object({ ...applicationFields, logo: LogoImage })),
      total: Type.Integer(),
    }),
  },
  example: { body: { page: 0, size: 20, searchTerm: 'shop' } },
})

const HostedFilter = Type.Object({
  filterByHostedTemplates: Type.Optional(
    Type.Boolean({ description: "True: only the organization's own templates.", default: false }),
  ),
})
const Id = Type.Object({ id: Guid })
const Choice = Type.Object({
  isDraft: Type.Optional(Type.Boolean({ description: 'True: the draft.', default: false })),
  version: Type.Optional(Type.String({ maxLength: 40, description: 'A published version; the newest when absent.' })),
})

export const listWorkflowTemplates = operation({
  name: 'WorkflowTemplates',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/WorkflowTemplates',
  description:
    'Workflow templates without their scripts: published ones, and the drafts of the organization; at most 1,000. Search for more.',
  query: HostedFilter,
  answers: { 200: Type.Array(WorkflowTemplateListApiDto) },
})

export const TemplateSearch = Type.Object(
  {
    page: Type.Optional(Page),
    size: Type.Optional(Size),
    searchTerm: Type.Optional(SearchTerm),
    applicationShortName: Type.Optional(
      Type.String({ minLength: 1, maxLength: 40, description: 'Only templates that use this application.' }),
    ),
  },
  { additionalProperties: false },
)

export const searchWorkflowTemplates = operation({
  name: 'WorkflowTemplatesSearch',
  feature: 'Catalogue',
  method: 'POST',
  path: '/api/WorkflowTemplatesSearch',
  description: 'Search the workflow templates by name and description, page by page.',
  body: TemplateSearch,
  answers: { 200: Type.Object({ items: Type.Array(WorkflowTemplateListApiDto), total: Type.Integer() }) },
  example: { body: { page: 0, size: 20, searchTerm: 'orders' } },
})

export const searchBlockTemplates = operation({
  name: 'BlockTemplatesSearch',
  feature: 'Catalogue',
  method: 'POST',
  path: '/api/BlockTemplatesSearch',
  description: 'Search the block templates by name and description, page by page.',
  body: TemplateSearch,
  answers: { 200: Type.Object({ items: Type.Array(BlockTemplateListApiDto), total: Type.Integer() }) },
  example: { body: { page: 0, size: 20, applicationShortName: 'SHOPIFY' } },
})

export const getWorkflowTemplate = operation({
  name: 'WorkflowTemplate',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/WorkflowTemplate/:id',
  description: 'A workflow template with its block chain, variables and configuration.',
  params: Id,
  query: Choice,
  answers: { 200: WorkflowTemplateWithDetailsApiDto },
  refuses: ['not_found'],
})

export const listBlockTemplates = operation({
  name: 'BlockTemplates',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/BlockTemplates',
  description:
    'Block templates without their scripts: published ones, and the drafts of the organization; at most 1,000. Search for more.',
  query: HostedFilter,
  answers: { 200: Type.Array(BlockTemplateListApiDto) },
})

export const getBlockTemplate = operation({
  name: 'BlockTemplate',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/BlockTemplate/:id',
  description: 'A block template with its script, variables and configuration.',
  params: Id,
  query: Choice,
  answers: { 200: BlockTemplateApiDto },
  refuses: ['not_found'],
})

const Versions = Type.Array(Type.Object({ version: Type.String(), createDateTimeUTC: Timestamp }))

export const listWorkflowTemplateVersions = operation({
  name: 'WorkflowTemplateVersions',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/WorkflowTemplateVersions/:id',
  description: "The published versions of the organization's own workflow template, newest first.",
  params: Id,
  answers: { 200: Versions },
  refuses: ['not_found'],
})

export const listBlockTemplateVersions = operation({
  name: 'BlockTemplateVersions',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/BlockTemplateVersions/:id',
  description: "The published versions of the organization's own block template, newest first.",
  params: Id,
  answers: { 200: Versions },
  refuses: ['not_found'],
})
