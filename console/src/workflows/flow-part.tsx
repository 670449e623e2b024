// When and how often a block runs, what happens when it fails, and what it waits for. Words first, the expression below.
import type { ReactNode } from 'react'
import type { Block } from '../definition/workflow-draft.ts'
import { Checkbox, Select } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { useConditionVerdict } from './expression-check.ts'
import { ExpressionField, type FlowPartProps, NumberField, withoutAbsent } from './flow-fields.tsx'
import { ItemsFields } from './items-fields.tsx'
import { WaitFields } from './wait-fields.tsx'

export function FlowPart(props: FlowPartProps) {
  const { block, onEdit, isStructureFree } = props
  return (
    <div className="flex max-w-140 flex-col gap-6 p-4">
      {!isStructureFree && (
        <Notice kind="note">
          Conditions, items and waits belong to the template. Retries, failures and time limits are yours to change.
        </Notice>
      )}
      <FlowSection title="When it runs">
        <Condition {...props} />
      </FlowSection>
      <FlowSection title="For each item">
        <ItemsFields {...props} />
      </FlowSection>
      <FlowSection title="When it fails">
        <RetryFields retry={block.retry} onChange={(retry) => onEdit({ retry })} />
        <Select
          label="Then"
          value={block.onError ?? 'stop'}
          onChange={(event) => onEdit({ onError: event.target.value === 'continue' ? 'continue' : null })}
          options={[
            { value: 'stop', label: 'The run fails' },
            { value: 'continue', label: 'The run continues without its result' },
          ]}
        />
        <NumberField
          label="Time limit of one try, in seconds"
          value={block.timeoutSeconds}
          range={[1, 900]}
          placeholder={block.forEach ? '120' : "The run's own limit"}
          onChange={(timeoutSeconds) => onEdit({ timeoutSeconds: timeoutSeconds ?? null })}
        />
      </FlowSection>
      <FlowSection title="Afterwards">
        <WaitFields {...props} />
      </FlowSection>
    </div>
  )
}

function FlowSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-2 text-table font-semibold">{title}</legend>
      {children}
    </fieldset>
  )
}

function Condition({ block, samples, isStructureFree, onEdit }: FlowPartProps) {
  const verdict = useConditionVerdict(block, samples, block.runWhen ?? '')
  return (
    <>
      <Select
        label="It needs"
        disabled={!isStructureFree || block.dataSources.length === 0}
        value={block.needs ?? 'all'}
        onChange={(event) => {
          const needs = event.target.value
          onEdit({ needs: needs === 'any' || needs === 'failed' ? needs : null })
        }}
        options={[
          { value: 'all', label: 'A result of every data source' },
          { value: 'any', label: 'A result of at least one data source' },
          { value: 'failed', label: 'A data source that failed (a handler)' },
        ]}
      />
      <ExpressionField
        label="Only if"
        value={block.runWhen ?? ''}
        placeholder="Datasource[0].length > 0"
        verdict={verdict}
        isDisabled={!isStructureFree}
        onChange={(text) => onEdit({ runWhen: text === '' ? null : text })}
      />
    </>
  )
}

type Retry = NonNullable<Block['retry']>

function RetryFields({ retry, onChange }: { retry: Block['retry']; onChange: (retry: Retry | null) => void }) {
  const change = (changes: { [Name in keyof Retry]?: Retry[Name] | undefined }) =>
    retry && onChange(withoutAbsent({ ...retry, ...changes }) as Retry)
  return (
    <>
      <Checkbox
        label="Try again"
        hint="Between tries the run waits without holding anything, also through restarts."
        checked={Boolean(retry)}
        onChange={(event) => onChange(event.target.checked ? { times: 3 } : null)}
      />
      {retry && (
        <div className="grid grid-cols-2 gap-3">
          <NumberField
            label="Further tries"
            value={retry.times}
            range={[1, 10]}
            placeholder="3"
            onChange={(times) => change({ times: times ?? 1 })}
          />
          <NumberField
            label="First after, in seconds"
            value={retry.firstSeconds}
            range={[0, 3600]}
            placeholder="10"
            onChange={(firstSeconds) => change({ firstSeconds })}
          />
          <NumberField
            label="Each wait longer by"
            value={retry.factor}
            range={[1, 10]}
            placeholder="2"
            onChange={(factor) => change({ factor })}
          />
          <NumberField
            label="Longest wait, in seconds"
            value={retry.maxSeconds}
            range={[0, 3600]}
            placeholder="3600"
            onChange={(maxSeconds) => change({ maxSeconds })}
          />
          <div className="col-span-2">
            <ExpressionField
              label="Only if"
              value={retry.when ?? ''}
              placeholder="error.statusCode >= 500"
              hint="Sees error with message, statusCode and response."
              onChange={(when) => change({ when: when === '' ? undefined : when })}
            />
          </div>
        </div>
      )}
    </>
  )
}
