import { Trash2 } from 'lucide-react'
import { IconButton } from '../ui/button.tsx'
import { Select, TextField } from '../ui/field.tsx'
import type { Expectation } from './expectation.ts'

export type BlockChoice = { id: string; name: string }

const sentences: Record<Expectation['kind'], string> = {
  succeedsWithin: 'A run succeeds at least every',
  receivesWithin: 'A webhook request arrives at least every',
  itemsBetween: 'This block returns between',
  usual: 'The usual number of items for this time of the week is returned by',
}

/** One sentence with its blanks. */
export function ExpectationLine({
  expectation,
  blocks,
  onChange,
  onRemove,
}: {
  expectation: Expectation
  blocks: readonly BlockChoice[]
  onChange: (expectation: Expectation) => void
  onRemove: () => void
}) {
  const { kind } = expectation
  const first = blocks[0]?.id as string
  const become = (next: Expectation['kind']) => {
    if (next === 'succeedsWithin' || next === 'receivesWithin') onChange({ kind: next, hours: 26 })
    else if (next === 'usual') onChange({ kind: next, uniqueBlockId: first })
    else onChange({ kind: next, uniqueBlockId: first, min: 1 })
  }
  const number = (name: 'hours' | 'min' | 'max', label: string) => (
    <TextField
      label={label}
      isLabelHidden
      type="number"
      min={0}
      className="w-24"
      placeholder={name === 'max' ? 'any' : ''}
      value={expectation[name] ?? ''}
      onChange={(event) => {
        const { [name]: _before, ...rest } = expectation
        onChange(event.target.value === '' ? rest : { ...rest, [name]: Number(event.target.value) })
      }}
    />
  )
  const block = (
    <Select
      label="Block"
      isLabelHidden
      className="w-52"
      value={expectation.uniqueBlockId ?? ''}
      onChange={(event) => onChange({ ...expectation, uniqueBlockId: event.target.value })}
      options={blocks.map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
  return (
    <li className="flex flex-wrap items-center gap-2 rounded-md border border-line px-3 py-2 text-table">
      <Select
        label="Expectation"
        isLabelHidden
        className="w-full sm:w-80"
        value={kind}
        onChange={(event) => become(event.target.value as Expectation['kind'])}
        options={Object.entries(sentences).map(([value, label]) => ({ value, label }))}
      />
      {(kind === 'succeedsWithin' || kind === 'receivesWithin') && (
        <>
          {number('hours', 'Hours')} <span>hours</span>
        </>
      )}
      {kind === 'itemsBetween' && (
        <>
          {number('min', 'Minimum items')} <span>and</span> {number('max', 'Maximum items')} <span>items:</span> {block}
        </>
      )}
      {kind === 'usual' && block}
      <IconButton icon={Trash2} label="Remove this expectation" className="ml-auto" onClick={onRemove} />
    </li>
  )
}
