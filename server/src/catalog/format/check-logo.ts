import { findSvgFault } from './check-svg.ts'
import type { Logo } from './definition.ts'

const logoBytesMax = 64 * 1024

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export function readLogo(fileName: string, bytes: Buffer): { logo: Logo } | { message: string } {
  if (bytes.length > logoBytesMax) return { message: `The logo is larger than ${logoBytesMax / 1024} KiB.` }
  if (fileName.toLowerCase().endsWith('.png')) {
    if (!bytes.subarray(0, 8).equals(pngStart)) return { message: 'The logo is not a PNG image.' }
    return { logo: { mediaType: 'image/png', base64: bytes.toString('base64') } }
  }
  if (!fileName.toLowerCase().endsWith('.svg')) return { message: 'A logo must be an .svg or a .png file.' }
  const text = bytes.toString('utf8')
  const message = findSvgFault(text)
  if (message !== undefined) return { message }
  return { logo: { mediaType: 'image/svg+xml', base64: bytes.toString('base64') } }
}
