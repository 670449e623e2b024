/** A certificate that is not trusted shows as a fault of the socket, told apart by its words alone. */
export function isTlsFailure(failure: Error & { code?: string }): boolean {
  return failure.code === 'ETLS' || /certificate|\bTLS\b|\bSSL\b/i.test(failure.message)
}
