// The result of a replay: the recorded one with the patch of the service put over it.
export type Operation = { op: 'add' | 'remove' | 'replace'; path: string; value?: unknown }

export function applyPatch(recorded: unknown, patch: readonly Operation[]): unknown {
  const root = { value: structuredClone(recorded) }
  for (const operation of patch) applyOne(root, operation)
  return root.value
}

function applyOne(root: { value: unknown }, { op, path, value }: Operation): void {
  const steps = path.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  // The first step is the empty text before the first slash: it stands for the whole value.
  steps[0] = 'value'
  const last = steps.pop() as string
  const parent = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], root)
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : Number(last)
    if (op === 'add') parent.splice(index, 0, value)
    else if (op === 'remove') parent.splice(index, 1)
    else parent[index] = value
  } else if (op === 'remove') delete (parent as Record<string, unknown>)[last]
  else (parent as Record<string, unknown>)[last] = value
}
