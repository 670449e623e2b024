import { Type } from 'typebox'
import { Guid, Timestamp } from './ids.ts'
import { Label } from './names.ts'
import { operation } from './operation.ts'
import { Page, SearchTerm, Size, TagFilter } from './paging.ts'

export const RegApplicationListApiDto = Type.Object(
  {
    id: { ...Guid, description: 'Id of the registered application.' },
    applicationId: { ...Guid, description: 'Id of the application in the catalogue.' },
    shortName: Type.String({ description: 'Short name of the application.' }),
    name: Type.String({ description: 'Name of the application.' }),
    tagText: Type.String({ description: 'Display label of this instance.' }),
    isOAuth: Type.Boolean({ description: 'Whether a person grants access by signing in at the provider.' }),
    isAuthenticated: Type.Boolean({ description: 'False until access has been granted.' }),
    isFaulted: Type.Boolean({
      description: 'Whether the target refuses the credentials, or has never been reached. The next success clears it.',
    }),
    faultMessage: Type.Union([Type.String(), Type.Null()], {
      description: 'What went wrong, in the words of the target.',
    }),
    tags: Type.Array(Type.String(), { description: 'Tags of the registered application.' }),
    workflowsCount: Type.Integer({ description: 'Workflows that use it and are not archived.' }),
    createDateTimeUTC: { ...Timestamp, description: 'When it was registered.' },
    modifyDateTimeUTC: { ...Timestamp, description: 'When it was last changed.' },
  },
  {
    description: 'A registered application: an instance of an application with its credentials, which are never shown.',
  },
)

const TagText = { ...Label, description: 'Display label of the instance.' }
const CredentialsJson = Type.String({
  maxLength: 100_000,
  description: "A JSON object in a string; its keys are the application's credentialFields.",
})
const RegApplicationId = Type.Object({ id: Guid })

export const listRegApplications = operation({
  name: 'RegApplications',
  feature: 'Connections',
  method: 'GET',
  path: '/api/RegApplications',
  description: 'The registered applications of the account that are authenticated.',
  answers: { 200: Type.Array(RegApplicationListApiDto) },
})

export const searchRegApplications = operation({
  name: 'RegApplicationsSearch',
  feature: 'Connections',
  method: 'POST',
  path: '/api/RegApplications',
  description: 'Search the registered applications of the account, including those that still await authorization.',
  body: Type.Object(
    {
      page: Type.Optional(Page),
      size: Type.Optional(Size),
      searchTerm: Type.Optional(SearchTerm),
      tags: Type.Optional(TagFilter),
      isFaulted: Type.Optional(Type.Boolean()),
      appIds: Type.Optional(Type.Array(Guid, { maxItems: 1000, description: 'Ids of applications of the catalogue.' })),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Object({ regApplications: Type.Array(RegApplicationListApiDto), total: Type.Integer() }),
  },
  example: { body: { page: 0, size: 20, searchTerm: 'shop', isFaulted: false } },
})

export const createRegApplication = operation({
  name: 'RegApplicationCreate',
  feature: 'Connections',
  method: 'POST',
  path: '/api/RegApplication',
  description:
    'Register an application with its credentials. Returns its id or, when a person must grant access, the authorization URL.',
  changesState: true,
  audit: 'registeredApplication.created',
  body: Type.Object(
    { applicationId: Guid, tagText: Type.Optional(TagText), credentialsJson: Type.Optional(CredentialsJson) },
    { additionalProperties: false },
  ),
  answers: { 200: Type.String({ description: 'GUID of the registered application, or the authorization URL.' }) },
  refuses: ['not_found', 'credentials_invalid', 'credentials_refused'],
  example: {
    answer: '0198c0de-0000-7000-8000-000000000001',
    body: {
      applicationId: 'e31040e1-1997-54d0-bfa6-43f910dc7be6',
      tagText: 'warehouse',
      credentialsJson: '{"baseUrl":"https://api.example.com/v1","authType":"bearer","token":"…"}',
    },
  },
})

export const updateRegApplication = operation({
  name: 'RegApplicationUpdate',
  feature: 'Connections',
  method: 'POST',
  path: '/api/RegApplication/:id',
  description:
    'Change the label or the credentials of a registered application. Returns an empty string, or an authorization URL.',
  changesState: true,
  audit: 'registeredApplication.changed',
  params: RegApplicationId,
  body: Type.Object(
    { tagText: Type.Optional(TagText), credentialsJson: Type.Optional(CredentialsJson) },
    { additionalProperties: false },
  ),
  answers: { 200: Type.String({ description: 'Empty, or the authorization URL.' }) },
  refuses: ['not_found', 'credentials_invalid', 'credentials_refused'],
  example: { answer: '', body: { tagText: 'warehouse, north' } },
})

export const deleteRegApplication = operation({
  name: 'DeleteRegApplication',
  feature: 'Connections',
  method: 'GET',
  path: '/api/DeleteRegApplication/:id',
  description: 'Remove a registered application with its credentials, unless a workflow that is not archived uses it.',
  changesState: true,
  audit: 'registeredApplication.deleted',
  params: RegApplicationId,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found', 'registered_application_in_use'],
})
