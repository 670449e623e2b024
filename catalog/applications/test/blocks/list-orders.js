const since = dateLastRun || getVariables().firstRunFrom
return await api.get('TEST/orders' + (since ? '?since=' + encodeURIComponent(fx.dateToIso(since)) : ''))
