// Functions of fx that are no scripts of the catalogue: they speak to the run or to the process around the script.
const common = { package: 'standard', isAsync: false, script: '' }

export const builtInFunctions = [
  {
    ...common,
    id: '6f5f9e0a-5d0e-4c56-9a5b-2b7b6f1f3a10',
    name: 'stopAfterThisBlock',
    description:
      'End the run as Ready after this block. With true, dateLastRun moves and deferred vault values are written; with false, neither.',
    category: 'Run',
    arguments: { flag: { type: 'boolean', description: 'Whether the run counts as completed.' } },
  },
  {
    ...common,
    id: '3d6f0c51-7a2e-4b8d-9e14-5c0a8b7d2f63',
    name: 'respond',
    description:
      'Answer the webhook request that started the run: {statusCode?, headers?, body?}. Sent when this block is recorded; the run goes on. The first call counts. Needs the webhook setting respondWith: result.',
    category: 'Run',
    arguments: { response: { type: 'object', description: 'statusCode (200 to 599), headers, body.' } },
  },
  {
    ...common,
    id: 'c3a1d3f2-8f0b-4b52-8f7e-0d7c4a6b9e21',
    name: 'decodeText',
    description: 'The text of base64 bytes in a character set such as windows-1252, iso-8859-1, shift_jis or utf-16le.',
    category: 'Encoding',
    arguments: { base64: { type: 'string' }, charset: { type: 'string' } },
  },
  {
    ...common,
    id: '0b9d2c74-5e3a-4d0f-9c1b-7a8e6d5f4c32',
    name: 'encodeText',
    description: 'The bytes of a text in a character set, as base64. Throws if a character does not exist in it.',
    category: 'Encoding',
    arguments: { text: { type: 'string' }, charset: { type: 'string' } },
  },
]
