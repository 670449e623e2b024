/** True for a fault that a second try may not meet: a lost connection, a server that stops or starts, a deadlock, a lock that took too long. */
export function isTransient(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  if (typeof code === 'string') return /^(08|53|57|40|55)/.test(code) || /^E[A-Z]+$/.test(code)
  return error instanceof Error && /timeout|terminated|Connection/i.test(error.message)
}
