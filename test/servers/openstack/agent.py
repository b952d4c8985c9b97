#!/usr/bin/env python3
"""Plays cloud-init on every fake server: reads the user_data back from Nova (as admin) and sends the Heat signal in it.
agent.py [--delay S] [--fail REGEX of server names] [--every S] [--seconds S]   environment: . $STATE/openrc"""
import argparse, base64, json, os, re, sys, time, urllib.parse
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'py'))
from oscloud import Cloud, raw

CURL = re.compile(r"X-Auth-Token: ([^'\"\s]+).*?(http://[^\s'\"]+/signal)", re.S)


def main():
    p = argparse.ArgumentParser()
    for k, v in (('--delay', 0.0), ('--every', 0.5), ('--seconds', 1e9)): p.add_argument(k, type=float, default=v)
    p.add_argument('--fail'); a = p.parse_args()
    c, done, seen, end = Cloud(), set(), {}, time.time() + a.seconds
    since = time.time() - 3600
    while time.time() < end:
        now = time.time()
        q = '/servers/detail?all_tenants=1&status=ACTIVE&changes-since=' + time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(since))
        s, b, _ = c.r('compute', 'GET', q)
        if s == 401: c.login(); continue
        since = now - 5 - a.delay
        for v in b.get('servers', ()) if s == 200 else ():
            if v['id'] in done or not v.get('OS-EXT-SRV-ATTR:user_data'): continue
            if now - seen.setdefault(v['id'], now) < a.delay: continue
            ud = base64.b64decode(v['OS-EXT-SRV-ATTR:user_data']).decode('utf-8', 'replace')
            if ud.lstrip().startswith('{'): ud = urllib.parse.unquote(ud)  # Ignition has files as data: URLs
            for tok, url in CURL.findall(ud):
                bad = a.fail and re.search(a.fail, v['name'])
                st, out, _ = raw(url, 'POST', {'status': 'FAILURE' if bad else 'SUCCESS', 'reason': 'agent', 'data': v['name'], 'id': v['id']},
                                 {'X-Auth-Token': tok, 'Accept': 'application/json'})
                print(v['name'], 'signalled', 'FAILURE' if bad else 'SUCCESS', st, flush=True)
            done.add(v['id'])
        time.sleep(a.every)


main()
