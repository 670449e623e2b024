import { useOperation } from '../api.ts'
import { Select } from '../ui/field.tsx'
import { Panel } from '../ui/panel.tsx'
import { exactTime } from '../ui/time.tsx'

/** Which template, and to which of its versions. */
export function VersionStep({
  templateId,
  version,
  onChange,
}: {
  templateId: string | undefined
  version: string | undefined
  onChange: (next: { template?: string | undefined; to?: string | undefined }) => void
}) {
  const own = useOperation('WorkflowTemplates', { query: { filterByHostedTemplates: true } }).data
  const versions = useOperation(
    'WorkflowTemplateVersions',
    { params: { id: templateId ?? '' } },
    { enabled: templateId !== undefined },
  ).data
  const published = (own ?? []).filter(({ state }) => state === 'Published')
  const isOwn = published.some(({ id }) => id === templateId)
  return (
    <Panel className="grid gap-4 p-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)] lg:max-w-3xl">
      <Select
        label="Template"
        hint={own && published.length === 0 ? 'Your organization has no published template yet.' : undefined}
        value={templateId ?? ''}
        onChange={({ target }) => onChange({ template: target.value || undefined, to: undefined })}
        options={[
          { value: '', label: 'Choose a template …' },
          ...(templateId && !isOwn ? [{ value: templateId, label: 'This template' }] : []),
          ...published.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <Select
        label="To version"
        disabled={templateId === undefined}
        value={version ?? ''}
        onChange={({ target }) => onChange({ to: target.value || undefined })}
        options={[
          { value: '', label: versions?.[0] ? `${versions[0].version} (newest)` : 'Newest' },
          ...(versions ?? []).slice(1).map((one) => ({
            value: one.version,
            label: `${one.version} · ${exactTime(one.createDateTimeUTC)}`,
          })),
        ]}
      />
    </Panel>
  )
}
