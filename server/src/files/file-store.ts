/**
 * Where sealed files lie. Files come in groups: a group is made, filled file by file, settled, read any number of times and removed as a whole.
 * What is written here is ciphertext already; a store neither opens nor checks it.
 */
import type { Readable } from 'node:stream'
import { AppError } from '../lib/app-error.ts'

export type FileStore = {
  /** Rows remember it: whoever has a store with this id can read what they point to. */
  readonly id: string
  /** Throws when `moreBytes` would leave too little room. */
  requireSpace(moreBytes: number): Promise<void>
  create(group: string): Promise<void>
  /** The bytes are durable, not only on their way, when this returns. A file that could not be written whole is not there. */
  write(group: string, file: string, bytes: AsyncIterable<Buffer>): Promise<void>
  /** Makes the names of the group's files durable, as writing them made their contents. */
  settle(group: string): Promise<void>
  /** The files of a group; none when it is not there. */
  list(group: string): Promise<string[]>
  /** Fails before the first byte when the file is not there. */
  read(group: string, file: string): Promise<Readable>
  /** Harmless when they are gone already. */
  remove(group: string): Promise<void>
}

/** The store itself cannot be used: the operator's to mend. */
export class FileStoreError extends Error {
  override name = 'FileStoreError'
}

/** The store gives no answer, or a fault that may pass. */
export class StoreAwayError extends FileStoreError {
  override name = 'StoreAwayError'
}

/** The group or the file is not there. */
export class MissingFileError extends Error {
  override name = 'MissingFileError'
}

export function storageFull(cause?: unknown): AppError {
  return new AppError('storage_full', 'The upload failed: the service has too little disk space left for it.', {
    cause,
  })
}
