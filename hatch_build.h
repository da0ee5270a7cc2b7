/* What the C that mypyc writes is given beside it (hatch_build.py): a place in the code remembers what it found last.

   Python since 3.11 does so where it interprets; mypyc asks for a field of a struct, or for a name of a module, as if it
   had never seen one: some 100 instructions, here 10. A type's version changes with whatever is set on it, a dictionary's
   with each of its items, so what has changed is looked up again. Python 3.13 has no version of dictionaries any more:
   there names are looked up as ever. Threads without a global lock would need more than this.

   The same is done for methods; numbers that Python has ready come from a table, and functions of C, bytes and
   bytearrays are taken for what they are. Of Python's inside this needs `tp_version_tag`, 0 while it is not good, and
   `_PyType_Lookup`, as Python 3.14 still has them; later ones do without. It has run on 3.11 alone. */

/* A function of C, called without looks at what it is again. False: it wants its arguments in some other way. */
typedef PyObject *(*WithArguments)(PyObject *, PyObject *const *, Py_ssize_t);
typedef PyObject *(*WithKeywords)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

static inline bool call_c(PyCFunction function, int flags, PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames, PyObject **result) {
    flags &= METH_VARARGS | METH_FASTCALL | METH_NOARGS | METH_O | METH_KEYWORDS | METH_METHOD;
    if (flags == (METH_FASTCALL | METH_KEYWORDS))
        *result = ((WithKeywords)(void (*)(void))function)(self, args, nargs, kwnames);
    else if (kwnames != NULL)
        return false;
    else if (flags == METH_FASTCALL)
        *result = ((WithArguments)(void (*)(void))function)(self, args, nargs);
    else if (flags == METH_O && nargs == 1)
        *result = function(self, args[0]);
    else if (flags == METH_NOARGS && nargs == 0)
        *result = function(self, NULL);
    else
        return false;
    return true;
}

#if !defined(Py_GIL_DISABLED) && PY_VERSION_HEX < 0x030F0000
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

static Py_ALWAYS_INLINE inline PyObject *kept_item(KeptItem *kept, PyObject *dict, PyObject *key) {
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
            if (member->type == T_OBJECT_EX && type->tp_version_tag != 0) {
                kept->type = type;
                kept->version = type->tp_version_tag;
                kept->offset = member->offset;
            }
        }
    }
    return PyObject_GetAttr(obj, name);
}

static CPy_NOINLINE PyObject *kept_elsewhere(KeptAttribute *kept, PyObject *obj, PyObject *name) {
#ifdef NAMES_ARE_KEPT
    if (PyModule_CheckExact(obj) && kept->item.key == name) {
        PyObject *dict = PyModule_GetDict(obj);
        if (((PyDictObject *)dict)->ma_version_tag == kept->item.version)
            return Py_NewRef(kept->item.value);
    }
#endif
    return kept_attribute_anew(kept, obj, name);
}

static Py_ALWAYS_INLINE inline PyObject *kept_attribute(KeptAttribute *kept, PyObject *obj, PyObject *name) {
    if (likely(Py_TYPE(obj) == kept->type && kept->type->tp_version_tag == kept->version)) {
        PyObject *value = *(PyObject **)((char *)obj + kept->offset);
        if (likely(value != NULL))
            return Py_NewRef(value);
    }
    return kept_elsewhere(kept, obj, name);
}

#undef CPyObject_GetAttr
#define CPyObject_GetAttr(obj, name) \
    __extension__({ static KeptAttribute kept_; kept_attribute(&kept_, (obj), (name)); })

typedef struct {
    PyTypeObject *type;
    unsigned int version;
    PyObject *method;   /* the type's, which has it as long as its version is the same; NULL: what the slot has */
    PyMethodDef *of_c;  /* of a method that is a function of C; else NULL */
    Py_ssize_t offset;  /* of the slot */
} KeptMethod;

static void keep_method(KeptMethod *kept, PyTypeObject *type, PyObject *name) {
    /* (What has a dictionary of its own may have something else by that name there.) */
    if (type->tp_getattro != PyObject_GenericGetAttr || type->tp_dictoffset != 0 ||
        PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT))
        return;
    PyObject *found = _PyType_Lookup(type, name);
    if (found == NULL || type->tp_version_tag == 0)
        return;
    if (PyType_HasFeature(Py_TYPE(found), Py_TPFLAGS_METHOD_DESCRIPTOR)) {
        kept->of_c = Py_IS_TYPE(found, &PyMethodDescr_Type) ? ((PyMethodDescrObject *)found)->d_method : NULL;
        kept->method = found;
    } else if (Py_IS_TYPE(found, &PyMemberDescr_Type) && ((PyMemberDescrObject *)found)->d_member->type == T_OBJECT_EX) {
        kept->offset = ((PyMemberDescrObject *)found)->d_member->offset;
        kept->method = NULL;
    } else
        return;
    kept->type = type;
    kept->version = type->tp_version_tag;
}

static inline PyObject *kept_method(KeptMethod *kept, PyObject *name, PyObject *const *args, size_t nargsf,
                                    PyObject *kwnames) {
    PyTypeObject *type = Py_TYPE(args[0]);
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    PyObject *result;
    if (unlikely(type != kept->type || type->tp_version_tag != kept->version)) {
        keep_method(kept, type, name);
        return PyObject_VectorcallMethod(name, args, nargsf, kwnames);
    }
    if (kept->method == NULL) {
        PyObject *found = *(PyObject **)((char *)args[0] + kept->offset);
        if (unlikely(found == NULL))
            return PyObject_VectorcallMethod(name, args, nargsf, kwnames);
        Py_INCREF(found); /* the slot may be filled anew meanwhile */
        result = PyObject_Vectorcall(found, args + 1, (size_t)(nargs - 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, kwnames);
        Py_DECREF(found);
        return result;
    }
    if (kept->of_c != NULL &&
        call_c(kept->of_c->ml_meth, kept->of_c->ml_flags, args[0], args + 1, nargs - 1, kwnames, &result))
        return result;
    return PyObject_Vectorcall(kept->method, args, (size_t)nargs, kwnames);
}

#define PyObject_VectorcallMethod(name, args, nargsf, kwnames) \
    __extension__({ static KeptMethod kept_; kept_method(&kept_, (name), (args), (nargsf), (kwnames)); })

/* Numbers as Python has them, for calls and for what is kept: the small ones, which there is one of each, are at hand. */
#define LEAST (-5)
#define NUMBERS 262
static PyObject *numbers[NUMBERS];

static CPy_NOINLINE PyObject *number_anew(CPyTagged value) {
    PyObject *number = CPyTagged_StealAsObject(value);
    size_t place = (size_t)((Py_ssize_t)value >> 1) - LEAST;
    if (!CPyTagged_CheckLong(value) && place < NUMBERS)
        numbers[place] = Py_NewRef(number);
    return number;
}

static Py_ALWAYS_INLINE inline PyObject *number_of(CPyTagged value) {
    size_t place = (size_t)((Py_ssize_t)value >> 1) - LEAST;
    if (likely(!CPyTagged_CheckLong(value) && place < NUMBERS && numbers[place] != NULL))
        return Py_NewRef(numbers[place]);
    return number_anew(value);
}
#define CPyTagged_StealAsObject(value) number_of(value)
#endif

/* Items of a bytearray, and bytes that are put together: mypyc asks as if it did not know what stands there. */
static inline char *byte_at(PyObject *row, PyObject *place) {
    if (!PyByteArray_CheckExact(row) || !PyLong_CheckExact(place))
        return NULL;
    Py_ssize_t at = PyLong_AsSsize_t(place);
    if (at < 0 || at >= PyByteArray_GET_SIZE(row)) {
        PyErr_Clear(); /* what is wrong with it, Python's own way tells */
        return NULL;
    }
    return PyByteArray_AS_STRING(row) + at;
}

static inline PyObject *item_at(PyObject *row, PyObject *place) {
    char *byte = byte_at(row, place);
    return byte == NULL ? PyObject_GetItem(row, place) : CPyTagged_StealAsObject((CPyTagged)(unsigned char)*byte << 1);
}
#define PyObject_GetItem(row, place) item_at((row), (place))

static inline int set_item_at(PyObject *row, PyObject *place, PyObject *value) {
    char *byte = byte_at(row, place);
    if (byte == NULL || !PyLong_CheckExact(value))
        return PyObject_SetItem(row, place, value);
    long count = PyLong_AsLong(value);
    if (count < 0 || count > 255) {
        PyErr_Clear();
        return PyObject_SetItem(row, place, value);
    }
    *byte = (char)count;
    return 0;
}
#define PyObject_SetItem(row, place, value) set_item_at((row), (place), (value))

static inline PyObject *added(PyObject *one, PyObject *other) {
    return PyBytes_CheckExact(one) && PyBytes_CheckExact(other) ? CPyBytes_Concat(one, other)
                                                                : PyNumber_InPlaceAdd(one, other);
}
#define PyNumber_InPlaceAdd(one, other) added((one), (other))

/* What is called is mostly a function; to make a value of these types takes a tuple for the arguments, and some searching. */
static inline PyObject *called(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    PyObject *result;
    if (PyCFunction_CheckExact(callable)) {
        if (call_c(PyCFunction_GET_FUNCTION(callable), PyCFunction_GET_FLAGS(callable), PyCFunction_GET_SELF(callable),
                   args, nargs, kwnames, &result))
            return result;
    } else if (callable == (PyObject *)&PyBytes_Type && nargs == 1 && kwnames == NULL && PyByteArray_CheckExact(args[0]))
        return PyBytes_FromStringAndSize(PyByteArray_AS_STRING(args[0]), PyByteArray_GET_SIZE(args[0]));
    else if (callable == (PyObject *)&PyMethod_Type && nargs == 2 && kwnames == NULL && PyCallable_Check(args[0]) &&
             args[1] != Py_None)
        return PyMethod_New(args[0], args[1]);
    return PyObject_Vectorcall(callable, args, nargsf, kwnames);
}
#define PyObject_Vectorcall(callable, args, nargsf, kwnames) called((callable), (args), (nargsf), (kwnames))

static inline PyObject *bytearray_of(PyObject *source) {
    return PyBytes_CheckExact(source) ? PyByteArray_FromStringAndSize(PyBytes_AS_STRING(source), PyBytes_GET_SIZE(source))
                                      : PyByteArray_FromObject(source);
}
#define PyByteArray_FromObject(source) bytearray_of(source)

/* An object that may have weak references (`Referable`) has room for them, and mypyc forgets to end them with it. */
static inline void untracked(PyObject *obj) {
    PyObject_GC_UnTrack(obj);
    if (Py_REFCNT(obj) == 0 && Py_TYPE(obj)->tp_weaklistoffset != 0)
        PyObject_ClearWeakRefs(obj);
}
#define PyObject_GC_UnTrack(obj) untracked((PyObject *)(obj))
