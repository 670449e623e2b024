import { Type } from 'typebox'
import { operation } from './operation.ts'

const Name = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 300,
    pattern: '^[A-Za-z0-9][A-Za-z0-9.:_-]*$',
    title: 'text of letters, digits and . : _ -',
    description,
  })

export const grantDocumentLibrary = operation({
  name: 'DocumentLibraryGrant',
  feature: 'Connections',
  method: 'POST',
  path: '/api/DocumentLibraryGrant',
  description:
    'Give the app of a document-library connector access to one site, through a separate admin app that holds Sites.FullControl.All. The credentials of the admin app are used once and not stored.',
  changesState: true,
  audit: 'documentLibrary.granted',
  body: Type.Object(
    {
      tenantId: Name('Tenant ID, or a domain of the tenant.'),
      adminClientId: Name("Client ID of the admin app; not the connector's own."),
      adminClientSecret: Type.String({ minLength: 1, maxLength: 2000, description: 'Client secret of the admin app.' }),
      connectorClientId: Name('Client ID of the app that gets access.'),
      host: Name('Such as contoso.sharepoint.com.'),
      sitePath: Type.String({
        minLength: 1,
        maxLength: 400,
        pattern: '^[^:?#\\\\\\u0000-\\u001f\\u007f]+$',
        title: 'path of a site',
        description: 'Such as /sites/team.',
      }),
      role: Type.Enum(['read', 'write'], { description: 'What the connector may do with the files of the site.' }),
      authUrl: Type.Optional(
        Type.String({ maxLength: 500, default: 'https://login.microsoftonline.com', description: 'Sign-in address.' }),
      ),
      graphUrl: Type.Optional(
        Type.String({ maxLength: 500, default: 'https://graph.microsoft.com', description: 'Graph address.' }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Object({
      siteId: Type.String({ description: 'Id of the site.' }),
      permissionId: Type.String({ description: 'Id of the permission, needed to revoke it.' }),
      role: Type.Enum(['read', 'write'], { description: 'What was granted.' }),
    }),
  },
  refuses: ['target_refused', 'target_unreachable'],
  example: {
    body: {
      tenantId: '5f7c1d1e-0000-4000-8000-000000000001',
      adminClientId: '5f7c1d1e-0000-4000-8000-000000000002',
      adminClientSecret: '<CLIENT_SECRET>',
      connectorClientId: '5f7c1d1e-0000-4000-8000-000000000003',
      host: 'contoso.sharepoint.com',
      sitePath: '/sites/team',
      role: 'write',
    },
    answer: { siteId: 'contoso.sharepoint.com,1c2d…,9e8f…', permissionId: 'aTowaS50…', role: 'write' },
  },
})
