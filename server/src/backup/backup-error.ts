/** A sentence for the operator. What it is about was left as it was. */
export class BackupError extends Error {
  override name = 'BackupError'
}
