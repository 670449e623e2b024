const { to, subject, body, bodyIsHtml } = getVariables()
const values = Datasource[0] ?? {}
// In HTML the values are data, not markup.
const escaped = (value) => (value !== null && typeof value === 'object'
  ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, escaped(inner)]))
  : typeof value === 'string' ? fx.escapeHtml(value) : value)
return await api.post('SMTP/send', {
  to: String(to).split(',').map((address) => address.trim()).filter((address) => address !== ''),
  subject: fx.cleanText(fx.fillTemplate(subject, values)),
  body: fx.fillTemplate(body, bodyIsHtml ? escaped(values) : values),
  bodyIsHtml: bodyIsHtml === true,
})
