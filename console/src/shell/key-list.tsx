// All keys that the console knows, behind `?`.
import { Dialog } from '../ui/dialog.tsx'
import { createStore } from '../ui/store.ts'
import { allPages } from './navigation.ts'

export const isKeyListOpen = createStore(false)

const everywhere: readonly (readonly [string, string])[] = [
  ['?', 'Show these keys'],
  ['/', 'Search'],
  ['Ctrl K', 'Search'],
  ['Ctrl S', 'Save a workflow'],
  ['Ctrl Enter', 'Test the block being edited'],
  ['Esc', 'Close what lies on top'],
]

export function KeyList() {
  const pages = allPages.flatMap(({ key, label }) => (key ? [[`g ${key}`, label] as const] : []))
  return (
    <Dialog title="Keys" width={520} onClose={() => isKeyListOpen.set(false)}>
      <div className="mt-3 grid grid-cols-1 gap-x-8 sm:grid-cols-2">
        <Keys title="Everywhere" keys={everywhere} />
        <Keys title="Go to" keys={pages} />
      </div>
    </Dialog>
  )
}

function Keys({ title, keys }: { title: string; keys: readonly (readonly [string, string])[] }) {
  return (
    <section>
      <h3 className="mb-1 text-label font-medium text-muted">{title}</h3>
      <dl>
        {keys.map(([key, words]) => (
          <div key={key} className="flex items-center gap-3 py-1">
            <dt className="w-24 shrink-0">
              <kbd className="rounded-sm border border-line-strong bg-raised px-1.5 py-0.5 font-mono text-label">
                {key}
              </kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
