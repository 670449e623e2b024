// The fields that every part of a block's flow is made of.
import type { Block, BlockEdit } from '../definition/workflow-draft.ts'
import { TextArea, TextField } from '../ui/field.tsx'
import type { ExpressionVerdict } from './expression-check.ts'
import type { Samples } from './use-samples.ts'

export type FlowPartProps = {
  workflowId: string
  chain: readonly Block[]
  block: Block
  samples: Samples
  isStructureFree: boolean
  onEdit: (edit: BlockEdit) => void
}

type ExpressionFieldProps = {
  label: string
  value: string
  placeholder: string
  hint?: string
  verdict?: ExpressionVerdict
  isDisabled?: boolean
  onChange: (text: string) => void
}

/** A single JavaScript expression, with what it gives for the sample. */
export function ExpressionField({ verdict, isDisabled, onChange, hint, ...field }: ExpressionFieldProps) {
  return (
    <TextArea
      {...field}
      isMono
      rows={1}
      maxLength={2000}
      spellCheck={false}
      disabled={isDisabled === true}
      error={verdict?.isProblem ? verdict.words : undefined}
      hint={verdict && !verdict.isProblem ? verdict.words : hint}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

type NumberFieldProps = {
  label: string
  value: number | null | undefined
  range: readonly [number, number]
  placeholder: string
  isDisabled?: boolean
  onChange: (value: number | undefined) => void
}

/** Empty stands for what the service does by itself, which the placeholder names. */
export function NumberField({ label, value, range: [min, max], placeholder, isDisabled, onChange }: NumberFieldProps) {
  return (
    <TextField
      label={label}
      type="number"
      min={min}
      max={max}
      step="any"
      placeholder={placeholder}
      disabled={isDisabled === true}
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value === '' ? undefined : Number(event.target.value))}
    />
  )
}

/** The service tells an absent member from one that is null. */
export function withoutAbsent<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value
}
