import { Type } from 'typebox'
import { Email } from './accounts.ts'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'

/** Wrong codes after which a share stays shut. */
export const wrongCodesMax = 20

const headerText = '^[^\\u0000-\\u001f\\u007f]*$'

export const SecureUpload = Type.Object(
  {
    files: Type.Array(Type.String({ contentMediaType: 'application/octet-stream' }), {
      minItems: 1,
      description: 'One or more files of any size; the field is repeated.',
    }),
    notificationEmail: { ...Email, description: 'Address that receives the link.' },
    email: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 254,
        pattern: headerText,
        title: 'single line of text',
        description: 'Name or address that the e-mail shows as its sender; the address of the account when absent.',
      }),
    ),
    copy: Type.Optional({ ...Email, description: 'Address that receives a copy of the e-mail.' }),
    subject: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 900,
        pattern: headerText,
        title: 'single line of text',
        default: 'Files for you',
      }),
    ),
    secureNote: Type.Optional(
      Type.String({ maxLength: 100_000, description: 'Kept encrypted, shown with the files, never e-mailed.' }),
    ),
    code: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Code that opens the share. It is not in the e-mail: tell the recipient separately. Default: a generated code that is part of the link.',
      }),
    ),
    bodyIsHtml: Type.Optional(Type.Boolean({ default: true, description: 'False: the e-mail is plain text.' })),
    expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 90, default: 7 })),
  },
  { additionalProperties: false },
)

export const uploadShare = operation({
  name: 'ProxySecureUpload',
  feature: 'Secure shares',
  method: 'POST',
  path: '/api/ProxySecureUpload',
  description: 'Store files encrypted and e-mail a link to them.',
  changesState: true,
  audit: 'share.created',
  bodyType: 'multipart',
  body: SecureUpload,
  answers: { 200: { ...Guid, description: 'Id of the share.' } },
  refuses: ['storage_full'],
})

export const SecureShareListApiDto = Type.Object(
  {
    id: { ...Guid, description: 'Id of the share.' },
    state: Type.Enum(['Active', 'Locked', 'Expired'], {
      description: `Locked after ${wrongCodesMax} wrong codes; Expired until its files are removed.`,
    }),
    notificationEmail: Type.String({ description: 'Address that received the link.' }),
    copy: Type.Union([Type.String(), Type.Null()], { description: 'Address that received a copy of the e-mail.' }),
    subject: Type.String({ description: 'Subject of the e-mail.' }),
    isCodeChosen: Type.Boolean({ description: 'The sender chose the code; otherwise it is part of the link.' }),
    files: Type.Array(
      Type.Object({
        name: Type.String({ description: 'File name.' }),
        contentType: Type.String({ description: 'Type that the sender gave.' }),
        bytes: Type.Integer({ description: 'Size.' }),
      }),
      { description: 'The files.' },
    ),
    wrongCodes: Type.Integer({ description: 'Wrong codes that were tried.' }),
    downloads: Type.Integer({ description: 'Number of downloads.' }),
    lastDownloadDateTimeUTC: Type.Union([Timestamp, Type.Null()], { description: 'When a file was last downloaded.' }),
    createDateTimeUTC: { ...Timestamp, description: 'When it was created.' },
    expiresDateTimeUTC: { ...Timestamp, description: 'When it expires.' },
  },
  { description: 'A secure share, without its code and its note.' },
)

export const listShares = operation({
  name: 'SecureShares',
  feature: 'Secure shares',
  method: 'GET',
  path: '/api/SecureShares',
  description: 'The secure shares of the account, newest first.',
  answers: { 200: Type.Array(SecureShareListApiDto) },
})

export const deleteShare = operation({
  name: 'DeleteSecureShare',
  feature: 'Secure shares',
  method: 'GET',
  path: '/api/DeleteSecureShare/:id',
  description: 'Revoke a share. Its key is destroyed at once, then its files.',
  changesState: true,
  audit: 'share.takenBack',
  params: Type.Object({ id: Guid }),
  answers: { 200: Type.Boolean() },
  refuses: ['not_found'],
})
