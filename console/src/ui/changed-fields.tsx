// Fields whose values changed: before and after, side by side.
import { Panel } from './panel.tsx'

export function ChangedFields({ fields }: { fields: readonly { name: string; from: unknown; to: unknown }[] }) {
  if (fields.length === 0) return null
  return (
    <Panel className="divide-y divide-line">
      {fields.map((field) => (
        <div key={field.name} className="grid gap-x-3 gap-y-1 px-3 py-2 text-table sm:grid-cols-[160px_1fr_1fr]">
          <span className="truncate text-muted">{field.name}</span>
          <code className="rounded-sm bg-red-soft px-1.5 font-mono text-label text-red [overflow-wrap:anywhere]">
            {textOf(field.from)}
          </code>
          <code className="rounded-sm bg-green-soft px-1.5 font-mono text-label text-green [overflow-wrap:anywhere]">
            {textOf(field.to)}
          </code>
        </div>
      ))}
    </Panel>
  )
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
