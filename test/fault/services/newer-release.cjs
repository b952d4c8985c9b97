// Loaded into a process before its program: the process then works as a later release does, in which NodeGroupResized has version 2.
const { eventVersions, Upcasters } = require('@stave/domain');

Object.assign(eventVersions, new Upcasters([{ type: 'NodeGroupResized', from: 1, upcast: data => data }]));
