export type Piece = { readonly bytes: Buffer; readonly isLast: boolean }

/**
 * Cuts a stream of any rhythm into pieces of one size, the first one of `firstBytes` when that is given, and says
 * which is the last. A stream without bytes gives one empty last piece; otherwise no piece is empty.
 *
 * `bytes` is valid only until the next piece is asked for: the memory is used again, which keeps it flat.
 */
export async function* cutPieces(
  source: AsyncIterable<Uint8Array>,
  pieceBytes: number,
  firstBytes = pieceBytes,
): AsyncGenerator<Piece, void, undefined> {
  const buffer = Buffer.allocUnsafe(Math.max(pieceBytes, firstBytes))
  let target = firstBytes
  let filled = 0
  for await (const arrived of source) {
    for (let taken = 0; taken < arrived.length; ) {
      // Only the arrival of a further byte proves that a full piece is not the last one.
      if (filled === target) {
        yield { bytes: buffer.subarray(0, filled), isLast: false }
        target = pieceBytes
        filled = 0
      }
      const count = Math.min(arrived.length - taken, target - filled)
      buffer.set(arrived.subarray(taken, taken + count), filled)
      filled += count
      taken += count
    }
  }
  yield { bytes: buffer.subarray(0, filled), isLast: true }
}
