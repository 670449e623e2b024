/** A sentence for the operator. */
export class MoveError extends Error {
  override name = 'MoveError'
}
