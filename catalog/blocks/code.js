// Replace this with your own script. Without a change it passes the result of the first data source on.
return Datasource.length > 1 ? Datasource : Datasource[0] ?? null
