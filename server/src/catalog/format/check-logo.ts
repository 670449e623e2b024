import type { Logo } from './definition.ts'

const logoBytesMax = 64 * 1024

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** An SVG is shown to other people's browsers, so whatever could act or fetch in one is refused. */
const activeSvg: [RegExp, string][] = [
  [/<!(?:DOCTYPE|ENTITY)/i, 'a document type declaration'],
  [
    /<\s*(?:script|foreignObject|iframe|embed|object|image|use|animate|set)\b/i,
    'an element that can run code or embed content',
  ],
  [/\son[a-z]+\s*=/i, 'an event handler'],
  [/(?:href|src)\s*=/i, 'a reference'],
  [/url\s*\(\s*['"]?\s*(?!#)/i, 'an outside address'],
  [/@import/i, 'an import'],
]

export function readLogo(fileName: string, bytes: Buffer): { logo: Logo } | { message: string } {
  if (bytes.length > logoBytesMax) return { message: `The logo is larger than ${logoBytesMax / 1024} KiB.` }
  if (fileName.toLowerCase().endsWith('.png')) {
    if (!bytes.subarray(0, 8).equals(pngStart)) return { message: 'The logo is not a PNG image.' }
    return { logo: { mediaType: 'image/png', base64: bytes.toString('base64') } }
  }
  if (!fileName.toLowerCase().endsWith('.svg')) return { message: 'A logo must be an .svg or a .png file.' }
  const text = bytes.toString('utf8')
  if (!/<svg[\s>]/i.test(text)) return { message: 'The logo is not an SVG image.' }
  const refused = activeSvg.find(([pattern]) => pattern.test(text))
  if (refused) return { message: `The logo contains ${refused[1]}, which is not allowed.` }
  return { logo: { mediaType: 'image/svg+xml', base64: bytes.toString('base64') } }
}
