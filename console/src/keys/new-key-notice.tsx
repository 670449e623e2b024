import { KeyRound } from 'lucide-react'
import type { Answer } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Copy } from '../ui/copy.tsx'

/** The only time that the secret is on a screen. */
export function NewKeyNotice({ made, onDone }: { made: Answer<'ApiKeyCreate'>; onDone: () => void }) {
  const request = `curl ${window.location.origin}/api/Authenticate -H 'Consumer: ${made.consumer}' -H 'SecretKey: ${made.secretKey}'`
  return (
    <section aria-label="New key" className="rising mb-4 rounded-lg border border-amber/40 bg-amber-soft p-4">
      <div className="flex flex-wrap items-start gap-3">
        <KeyRound size={18} aria-hidden className="mt-0.5 shrink-0 text-amber" />
        <div className="min-w-0 flex-1">
          <h2 className="font-medium">Copy the secret now. It is not shown again.</h2>
          <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2 text-table">
            <dt className="text-muted">Consumer</dt>
            <dd className="min-w-0">
              <Copy text={made.consumer} label="Copy Consumer" />
            </dd>
            <dt className="text-muted">SecretKey</dt>
            <dd className="min-w-0">
              <Copy text={made.secretKey} label="Copy SecretKey" />
            </dd>
            <dt className="text-muted">Try it</dt>
            <dd className="min-w-0">
              <Copy text={request} label="Copy a curl request" />
            </dd>
          </dl>
        </div>
        <Button onClick={onDone}>I have copied it</Button>
      </div>
    </section>
  )
}
