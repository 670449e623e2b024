import { useQuery } from '@tanstack/react-query'
import { EyeOff } from 'lucide-react'
import { sentenceOf } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Copy } from '../ui/copy.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { readValue } from './vault-operations.ts'

/** One value, on the page for as long as it is asked for and never kept by the browser. */
export function VaultValue({
  workflowId,
  name,
  onClose,
}: {
  workflowId: string | undefined
  name: string
  onClose: () => void
}) {
  const value = useQuery({
    queryKey: ['vault value', workflowId ?? 'account', name],
    queryFn: () => readValue(workflowId, name),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const text = JSON.stringify(value.data, null, 2) ?? 'null'
  return (
    <Panel className="rising mb-3">
      <section aria-label={`Value of ${name}`}>
        <header className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
          <h2 className="min-w-0 truncate font-mono text-table font-medium">{name}</h2>
          <span className="text-label text-muted">This view was recorded in the audit log.</span>
          <span className="ml-auto flex items-center gap-2">
            {value.data !== undefined && (
              <Copy text={text} label="Copy the value">
                Copy
              </Copy>
            )}
            <Button size="small" icon={EyeOff} onClick={onClose}>
              Hide
            </Button>
          </span>
        </header>
        {value.error ? (
          <div className="p-3">
            <Notice kind="error">{sentenceOf(value.error)}</Notice>
          </div>
        ) : value.data === undefined ? (
          <div className="p-4">
            <SkeletonLines />
          </div>
        ) : (
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
            tabIndex={0}
            className="max-h-96 overflow-auto px-4 py-3 font-mono text-label leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
          >
            {text}
          </pre>
        )}
      </section>
    </Panel>
  )
}
