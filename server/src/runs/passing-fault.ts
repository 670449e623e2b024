/** Faults of the connection, a server that stops or starts, deadlocks, locks that took too long. */
export function isPassing(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  if (typeof code === 'string') return /^(08|53|57|40|55)/.test(code) || /^E[A-Z]+$/.test(code)
  return error instanceof Error && /timeout|terminated|Connection/i.test(error.message)
}
