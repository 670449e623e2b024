// Calls to applications, each with its answer a click away.
import { classNames } from '../ui/class-names.ts'
import { durationText } from '../ui/time.tsx'

export type Call = {
  method: string
  url: string
  status: string
  statusCode: number | null
  durationMs: number | null
  errorMessage: string | null
  requestBody: string | null
  responseBody: string | null
}

export function CallList({ calls }: { calls: readonly Call[] }) {
  return (
    <ul className="divide-y divide-line">
      {calls.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls have no id; their order is what identifies them.
        <li key={index}>
          <details className="py-1 text-label">
            <summary className="flex list-none items-center gap-2 font-mono hover:text-accent">
              <span className="shrink-0 font-semibold">{call.method}</span>
              <span className="min-w-0 flex-1 truncate" title={call.url}>
                {call.url}
              </span>
              <span className={classNames('shrink-0', isBad(call) ? 'text-red' : 'text-green')}>
                {call.statusCode ?? call.status}
              </span>
              {call.durationMs !== null && (
                <span className="shrink-0 text-muted tabular-nums">{durationText(call.durationMs)}</span>
              )}
            </summary>
            <div className="mt-1 flex flex-col gap-2 pl-2">
              {call.errorMessage && <p className="text-red [overflow-wrap:anywhere]">{call.errorMessage}</p>}
              <Body title="Sent" text={call.requestBody} />
              <Body title="Received" text={call.responseBody} />
              {!call.errorMessage && call.requestBody === null && call.responseBody === null && (
                <p className="text-muted">
                  Bodies were not kept. Turn on “Keep the bodies of calls” in the workflow’s settings.
                </p>
              )}
            </div>
          </details>
        </li>
      ))}
    </ul>
  )
}

function isBad(call: Call): boolean {
  return call.errorMessage !== null || (call.statusCode !== null && call.statusCode >= 400)
}

function Body({ title, text }: { title: string; text: string | null }) {
  if (text === null) return null
  return (
    <div>
      <p className="text-muted">{title}</p>
      <pre className="max-h-48 overflow-auto rounded-sm bg-sunk p-2 font-mono text-label whitespace-pre-wrap [overflow-wrap:anywhere]">
        {text}
      </pre>
    </div>
  )
}
