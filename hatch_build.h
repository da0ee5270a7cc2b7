/* What the C that mypyc writes is given beside it (hatch_build.py): a place in the code remembers what it found last.

   Python since 3.11 does so where it interprets; mypyc asks for a field of a struct, or for a name of a module, as if it
   had never seen one: some 100 instructions, here 10. A type's version changes with whatever is set on it, a dictionary's
   with each of its items, so what has changed is looked up again. Python 3.13 has no version of dictionaries any more:
   there names are looked up as ever. Threads without a global lock would need more than this. */

#ifndef Py_GIL_DISABLED
#include <structmember.h>

#if PY_VERSION_HEX < 0x030D0000
#define NAMES_ARE_KEPT
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* ma_version_tag, in 3.12 */

typedef struct {
    uint64_t version; /* of a dictionary: no two, and no two states of one, have the same */
    PyObject *key;    /* ours, so that nothing else is ever at its address */
    PyObject *value;  /* the dictionary's, which has it as long as its version is the same */
} KeptItem;

static CPy_NOINLINE PyObject *kept_item_anew(KeptItem *kept, PyObject *dict, PyObject *key) {
    PyObject *value = CPyDict_GetItem(dict, key);
    if (value != NULL && PyUnicode_CheckExact(key) && PyDict_CheckExact(dict)) {
        Py_INCREF(key);
        Py_XSETREF(kept->key, key);
        kept->version = ((PyDictObject *)dict)->ma_version_tag;
        kept->value = value;
    }
    return value;
}

static inline PyObject *kept_item(KeptItem *kept, PyObject *dict, PyObject *key) {
    if (likely(key == kept->key && ((PyDictObject *)dict)->ma_version_tag == kept->version))
        return Py_NewRef(kept->value);
    return kept_item_anew(kept, dict, key);
}

#define CPyDict_GetItem(dict, key) __extension__({ static KeptItem kept_; kept_item(&kept_, (dict), (key)); })
#endif

typedef struct {
    PyTypeObject *type;
    unsigned int version;
    Py_ssize_t offset; /* of a slot, in objects of that type */
#ifdef NAMES_ARE_KEPT
    KeptItem item; /* of a module */
#endif
} KeptAttribute;

static CPy_NOINLINE PyObject *kept_attribute_anew(KeptAttribute *kept, PyObject *obj, PyObject *name) {
    PyTypeObject *type = Py_TYPE(obj);
#ifdef NAMES_ARE_KEPT
    if (PyModule_CheckExact(obj)) {
        PyObject *dict = PyModule_GetDict(obj);
        if (PyDict_GetItemWithError(dict, name) != NULL) /* else it may be one of the type's, or made when asked for */
            return kept_item(&kept->item, dict, name);
    }
#endif
    if (type->tp_getattro == PyObject_GenericGetAttr) {
        PyObject *found = _PyType_Lookup(type, name);
        if (found != NULL && Py_IS_TYPE(found, &PyMemberDescr_Type)) {
            PyMemberDef *member = ((PyMemberDescrObject *)found)->d_member;
            if (member->type == T_OBJECT_EX && PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG)) {
                kept->type = type;
                kept->version = type->tp_version_tag;
                kept->offset = member->offset;
            }
        }
    }
    return PyObject_GetAttr(obj, name);
}

static inline PyObject *kept_attribute(KeptAttribute *kept, PyObject *obj, PyObject *name) {
    if (likely(Py_TYPE(obj) == kept->type && kept->type->tp_version_tag == kept->version)) {
        PyObject *value = *(PyObject **)((char *)obj + kept->offset);
        if (likely(value != NULL))
            return Py_NewRef(value);
    }
#ifdef NAMES_ARE_KEPT
    else if (PyModule_CheckExact(obj) && kept->item.key == name) {
        PyObject *dict = PyModule_GetDict(obj);
        if (((PyDictObject *)dict)->ma_version_tag == kept->item.version)
            return Py_NewRef(kept->item.value);
    }
#endif
    return kept_attribute_anew(kept, obj, name);
}

#undef CPyObject_GetAttr
#define CPyObject_GetAttr(obj, name) \
    __extension__({ static KeptAttribute kept_; kept_attribute(&kept_, (obj), (name)); })
#endif

/* An object that may have weak references (`Referable`) has room for them, and mypyc forgets to end them with it. */
static inline void untracked(PyObject *obj) {
    PyObject_GC_UnTrack(obj);
    if (Py_REFCNT(obj) == 0 && Py_TYPE(obj)->tp_weaklistoffset != 0)
        PyObject_ClearWeakRefs(obj);
}
#define PyObject_GC_UnTrack(obj) untracked((PyObject *)(obj))
