import { statfs } from 'node:fs/promises'

export type DiskSpace = { freeBytes: number; totalBytes: number }

/** Below 10 % or 5 GiB of free space, whichever is less, nothing more is taken: the database needs room too. */
const floorBytesMax = 5 * 1024 ** 3
const floorShare = 0.1

export async function readDiskSpace(directory: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(directory)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

export function floorOf({ totalBytes }: DiskSpace): number {
  return Math.min(floorBytesMax, totalBytes * floorShare)
}
